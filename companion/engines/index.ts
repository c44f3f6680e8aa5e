/** The engines Pilotfish ships, in the order they are offered. */
import { claude } from './claude.ts';
import type { Engine } from './engine.ts';
import { glm } from './glm.ts';

export const engines: readonly Engine[] = [claude, glm];
