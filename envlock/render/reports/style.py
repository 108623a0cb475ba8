"""How the page of a report looks, and the little that it does: style and script, both inside the page."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--ink:#1c2128;--dim:#57606a;--paper:#fff;--edge:#d0d7de;--soft:#f6f8fa;
--good:#116329;--good-soft:#dafbe1;--warn:#7d4e00;--warn-soft:#fff3c4;--bad:#a40e26;--bad-soft:#ffe3e0;
--c0:#0550ae;--c1:#bc4c00;--c2:#116329;--c3:#8250df;--c4:#a40e26;--c5:#0b7285;--c6:#7d4e00;--c7:#57606a}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9aa4af;--paper:#0d1117;--edge:#3d444d;
--soft:#161b22;--good:#56d364;--good-soft:#12301b;--warn:#e3b341;--warn-soft:#3a2d0a;--bad:#ff8e86;
--bad-soft:#43161a;--c0:#6cb6ff;--c1:#f0883e;--c2:#56d364;--c3:#c297ff;--c4:#ff8e86;--c5:#4dd4e6;
--c6:#e3b341;--c7:#9aa4af}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.25rem;max-width:1200px;font:15px/1.5 system-ui,sans-serif;color:var(--ink);
background:var(--paper)}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2rem 0 .5rem;padding-bottom:.25rem;
border-bottom:1px solid var(--edge)}h3{font-size:.95rem;margin:0}
p{margin:.25rem 0}.note{color:var(--dim);font-size:.9rem}code{font:.85em ui-monospace,monospace;
overflow-wrap:anywhere}
nav a{display:inline-block;margin-right:1rem;color:var(--c0)}
.verdict{display:inline-block;padding:.1rem .6rem;border-radius:.3rem;border:1px solid;font-weight:600}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.none{color:var(--dim)}
.verdict.good,.ranks .good,.matrix .good{background:var(--good-soft)}
.verdict.bad,.ranks .bad,.matrix .bad,.notice.bad{background:var(--bad-soft)}
.verdict.warn,.matrix .warn,.notice.warn{background:var(--warn-soft)}
.notice{border-left:4px solid;padding:.5rem .75rem;margin:.75rem 0}.notice ul{margin:.25rem 0;
padding-left:1.2rem}.notice li,.notice p{color:var(--ink);overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.92rem}th,td{text-align:left;vertical-align:top;
padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--edge)}td{overflow-wrap:anywhere}
thead th{color:var(--dim);font-weight:600}tbody th{font-weight:600}
.family th{padding-top:1rem;color:var(--dim)}.family th::first-letter{text-transform:uppercase}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.checks .id{white-space:nowrap;overflow-wrap:normal}.checks .outcome{white-space:nowrap;
font-weight:600}.checks .name{min-width:9rem}
.wide{overflow-x:auto;margin-bottom:.75rem}.wide table{min-width:34rem}
.filter{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;margin:.5rem 0}
.filter[hidden]{display:none}input,select{font:inherit;color:inherit;background:var(--paper);
border:1px solid var(--edge);border-radius:.3rem;padding:.2rem .4rem}
.nodes{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.75rem}
.node{border:1px solid var(--edge);border-radius:.4rem;padding:.6rem .75rem;background:var(--soft)}
.lost{border-style:dashed;border-color:var(--bad)}
.ranks{list-style:none;margin:.4rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.35rem}
.ranks li{border:1px solid;border-radius:.3rem;padding:.05rem .45rem;font-size:.88rem}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:1rem}
figure{margin:0}figcaption{font-weight:600;font-size:.92rem}
.chart{width:100%;max-width:640px;height:auto}.chart text{font-size:12px;fill:var(--dim)}
.grid{stroke:var(--edge)}.line{fill:none;stroke-width:2}.dashed.line{stroke-dasharray:5 4}
.legend{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.88rem}
.legend svg{vertical-align:-2px;margin-right:.35rem}.spark{width:140px;height:28px}
.line.s0{stroke:var(--c0)}.line.s1{stroke:var(--c1)}.line.s2{stroke:var(--c2)}.line.s3{stroke:var(--c3)}
.line.s4{stroke:var(--c4)}.line.s5{stroke:var(--c5)}.line.s6{stroke:var(--c6)}.line.s7{stroke:var(--c7)}
.mark.s0{fill:var(--c0)}.mark.s1{fill:var(--c1)}.mark.s2{fill:var(--c2)}.mark.s3{fill:var(--c3)}
.mark.s4{fill:var(--c4)}.mark.s5{fill:var(--c5)}.mark.s6{fill:var(--c6)}.mark.s7{fill:var(--c7)}
.shares{display:flex;overflow:hidden;max-width:640px;border:1px solid var(--edge);border-radius:.3rem;
background:var(--soft)}.share{overflow:hidden;white-space:nowrap;padding:.1rem .3rem;font-size:.8rem;
color:var(--paper);box-sizing:border-box;min-width:2px}.k0{background:var(--c3)}.k1{background:var(--c7)}
.k2{background:var(--c5)}.k3{background:var(--c2)}caption{text-align:left;font-weight:600;padding:.5rem 0}
details{margin:.5rem 0}summary{cursor:pointer}pre{white-space:pre-wrap;overflow-wrap:anywhere;
background:var(--soft);padding:.5rem;font-size:.8rem;max-height:24rem;overflow:auto}
.matrix{width:auto}.wide .matrix{min-width:0}#environment th{width:12rem}
.matrix td,.matrix th{padding:.25rem .5rem;border:1px solid var(--edge)}
.matrix small{display:block}
@media (max-width:600px){body{padding:.75rem}.chart text{font-size:15px}#environment th{width:35%}
.checks thead{display:none}.checks tr{display:block;
padding:.4rem 0;border-bottom:1px solid var(--edge)}.checks td,.checks th{border:0;padding:0 .6rem 0 0}
.checks .said{display:block}.checks .outcome,.checks .id,.checks .name{display:inline-block;min-width:0}
.checks tr[hidden]{display:none}}
@media print{:root{color-scheme:light;--ink:#000;--dim:#333;--paper:#fff;--edge:#999;--soft:#fff}
body{max-width:none;font-size:10pt}nav,.filter{display:none}
.node,figure,tr{break-inside:avoid}.verdict,.ranks li,.matrix td{print-color-adjust:exact}}
"""

SCRIPT = """
(function(){
var form=document.querySelector('.filter');if(!form)return;form.hidden=false;
var outcome=form.querySelector('select'),text=form.querySelector('input');
var shown=form.querySelector('output');
var rows=[].slice.call(document.querySelectorAll('.checks tr[data-outcome]'));
function apply(){
 var wanted=outcome.value,words=text.value.toLowerCase(),count=0;
 rows.forEach(function(row){
  var fits=(!wanted||row.dataset.outcome===wanted)&&
   (!words||row.textContent.toLowerCase().indexOf(words)>=0);
  row.hidden=!fits;if(fits)count++;});
 [].forEach.call(document.querySelectorAll('.checks tbody'),function(part){
  part.hidden=!part.querySelector('tr[data-outcome]:not([hidden])');});
 shown.textContent=count+' of '+rows.length+' checks';}
form.addEventListener('input',apply);form.addEventListener('submit',function(e){e.preventDefault();});
apply();})();
"""
