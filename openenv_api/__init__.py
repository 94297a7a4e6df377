"""How are worlds served over OpenEnv, and driven from outside?"""
