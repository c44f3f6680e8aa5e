/** Parts of a snapshot that say nothing. Pure. */
import type { SnapChild } from './api.ts';

export const isBlank = (child: SnapChild): boolean => child === null || (typeof child === 'string' && child.trim() === '');
