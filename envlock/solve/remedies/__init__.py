"""Changes that would end a refusal, each solved again."""
