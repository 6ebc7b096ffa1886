"""Middleware that serves a policy within a site: one file for each interface of Python's servers.

`goodbot.site.gate.middleware.asgi` is for Starlette, FastAPI, Quart and every other ASGI
application, `wsgi` for Flask and every other WSGI application, `django` for Django. `RequestGate`
decides, and they carry it out.
"""
