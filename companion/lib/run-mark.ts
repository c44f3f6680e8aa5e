/** Names a run in the environment of its agent and of all that the agent starts, whatever group they move to. */
export const RUN_MARK = 'PILOTFISH_RUN';
