/** The environment variables by which processes of pilotfish know each other. */

/** Names a run in the environment of its agent and of everything that the agent starts, whatever process group it moves to. */
export const RUN_MARK = 'PILOTFISH_RUN';

/** Where `pilotfish mcp` finds the session that it speaks for, when an agent of a run has started it. */
export const MCP_ENV = { url: 'PILOTFISH_MCP_URL', token: 'PILOTFISH_MCP_TOKEN' } as const;
