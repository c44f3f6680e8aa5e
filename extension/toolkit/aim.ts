/** Targets as models write them: a ref of a snapshot, or a CSS selector. */
import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { wordsIn } from '#extension/shared/target-steps.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Aim, Page } from './page.ts';
import { readRef } from './ref.ts';
import { nodeWords } from './snapshot-text.ts';
import type { SubjectLines } from './tool.ts';

/** The parameter as every tool declares it. */
export const targetField = z.string().min(1).describe('Ref of a snapshot (e12, f7e12), text=words or CSS selector');

/** A description for the card that asks the user. */
export const elementField = z.string().optional().describe('What it is, for the permission card');

/** Where a target is: a selector searches the page itself, a ref contains its frame. */
export const toAim = (target: string): Aim => {
  const found = readRef(target);
  return found === null ? { frameId: 0, target: { selector: target } } : { frameId: found.frameId, target: { ref: found.ref } };
};

/** The same for what is written in: words mean the field that is called so, where there is one. */
export const fieldAim = async (target: string, page: Page): Promise<Aim> => {
  const words = wordsIn(target);
  const selector = `label=${JSON.stringify(words)}`;
  const isCalled = words !== null && readRef(target) === null && (await page.ask('isThere', { selector }));
  return isCalled ? { frameId: 0, target: { selector } } : toAim(target);
};

/** A place, for what a picture shows and no ref names. */
export const placeFields = {
  x: z.number().optional().describe('With y instead of target: place in the last screenshot'),
  y: z.number().optional().describe('See x'),
};

/** A target, or a place in the last picture. */
export interface Place {
  readonly target?: string | undefined;
  readonly x?: number | undefined;
  readonly y?: number | undefined;
}

/** Coordinates from a picture are coordinates of the page's own viewport, not of a frame in it. */
export const aimAt = (tool: string, { target, x, y }: Place): Aim => {
  if (target !== undefined) return toAim(target);
  if (x !== undefined && y !== undefined) return { frameId: 0, target: { point: { x, y } } };
  throw new CompanionError('TOOL_ARGUMENTS', `${tool} needs "target", or "x" and "y" of a place in the last screenshot.`);
};

/** The same; a place with a ref inside a frame is one in this frame, whose site is asked for. */
export const aimInFrame = async (tool: string, page: Page, place: Place): Promise<Aim> => {
  const aim = aimAt(tool, place);
  const { x, y } = place;
  if (aim.frameId === 0 || x === undefined || y === undefined) return aim;
  return { frameId: aim.frameId, target: { inView: await page.placeInFrame({ x, y }, aim.frameId) } };
};

/** The lines of a card about one element: what the page calls it, and what the agent does. */
export const describeAim = async (aim: Aim, element: string | undefined, page: Page): Promise<SubjectLines> => {
  const node = await page.ask('describe', { target: aim.target }, aim.frameId);
  const lines = [{ ...toolLine('line_element', nodeWords(node)), element: node.name ?? '' }];
  return element === undefined || element === '' ? lines : [...lines, toolLine('line_agent', element)];
};
