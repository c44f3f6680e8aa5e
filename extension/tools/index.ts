/** The tools there are, set by set and by their names; those that every client gets come first. */
import { TOOL_SET_META } from '#protocol/browser.ts';
import { TOOL_SETS } from '#protocol/tool-sets.ts';
import type { Tool } from '#extension/toolkit/tool.ts';
import * as list from './list.ts';

const setOf = ({ info }: Tool): number => TOOL_SETS.indexOf(info._meta[TOOL_SET_META] ?? 'default');

export const tools: readonly Tool[] = Object.values(list)
  .flat()
  .toSorted((one, other) => setOf(one) - setOf(other) || (one.name < other.name ? -1 : 1));
