"""The knowledge base as shipped, decoded once for all tests of a process; nobody can change it."""

from envlock.edges.knowledge_files import load_knowledge

KNOWLEDGE = load_knowledge()
