/** The tool list that the executable answers with before any browser is there. */
import { tools } from '#extension/tools/index.ts';
import type { ToolInfo } from '#protocol/browser.ts';

/** As tools/list gives them, in the order of the list. */
export const listTools = (): ToolInfo[] => tools.map((tool) => tool.info);
