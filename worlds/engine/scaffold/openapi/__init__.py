"""How does an OpenAPI document become a first world?"""
