"""How is the first version of a world written: from templates, or from an OpenAPI document?"""
