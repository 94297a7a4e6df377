"""How does a chat client or an agent reach a world over the Model Context Protocol?"""
