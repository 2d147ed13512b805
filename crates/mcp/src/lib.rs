//! shardwise for agents.
