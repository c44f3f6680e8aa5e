import { describe } from 'vitest';
import { auggie } from '#companion/engines/auggie.ts';
import { gemini } from '#companion/engines/gemini.ts';
import { opencode } from '#companion/engines/opencode.ts';
import { qwen } from '#companion/engines/qwen.ts';
import { transcriptTests } from './transcripts.ts';

describe('qwen transcripts', () => transcriptTests(qwen));
describe('gemini transcripts', () => transcriptTests(gemini));
describe('opencode transcripts', () => transcriptTests(opencode));
describe('auggie transcripts', () => transcriptTests(auggie));
