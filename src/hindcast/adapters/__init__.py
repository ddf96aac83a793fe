"""The world behind the ports: databases, indexes, models, clocks. Nothing above knows which one it has."""
