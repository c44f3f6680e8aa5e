/** Targets as models write them: a ref of a snapshot, or a CSS selector. */
import * as z from 'zod';
import type { Aim } from './page.ts';

const REF = /^\[?(?:f(\d+))?e(\d+)\]?$/;

/** The parameter as every tool declares it. */
export const targetField = z.string().min(1).describe('Ref from browser_snapshot (e12, f7e12) or a unique CSS selector');

/** For the card that asks the user. */
export const elementField = z.string().optional().describe('What it is, in words, for the permission card');

/** Where a target is; selectors search the page itself, refs know their frame. */
export const toAim = (target: string): Aim => {
  const match = REF.exec(target.trim());
  if (match === null) return { frameId: 0, target: { selector: target } };
  return { frameId: Number(match[1] ?? 0), target: { ref: Number(match[2]) } };
};

/** A ref as text. */
export const toRef = (frameId: number, ref: number): string => (frameId === 0 ? `e${ref}` : `f${frameId}e${ref}`);
