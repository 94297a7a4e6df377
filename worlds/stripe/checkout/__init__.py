"""How does a shopper buy on the account's own pages?"""
