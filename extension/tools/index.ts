/** The tools there are, by their names; those that every client gets come first. */
import { TOOL_SET_META } from '#protocol/browser.ts';
import type { Tool } from '#extension/toolkit/tool.ts';
import * as list from './list.ts';

const isUsual = ({ info }: Tool): boolean => info._meta[TOOL_SET_META] === undefined;

const all: readonly Tool[] = Object.values(list)
  .flat()
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));

export const tools: readonly Tool[] = [...all.filter(isUsual), ...all.filter((tool) => !isUsual(tool))];
