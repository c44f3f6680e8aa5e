/** The engines Pilotfish ships, in the order they are offered. */
import { auggie } from './auggie.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import type { Engine } from './engine.ts';
import { gemini } from './gemini.ts';
import { glm } from './glm.ts';
import { goose } from './goose.ts';
import { local } from './local.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

export const engines: readonly Engine[] = [claude, codex, cursor, qwen, gemini, glm, opencode, auggie, goose, local];
