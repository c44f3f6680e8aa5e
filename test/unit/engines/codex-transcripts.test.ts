import { describe } from 'vitest';
import { codex } from '#companion/engines/codex.ts';
import { transcriptTests } from './transcripts.ts';

describe('codex transcripts', () => transcriptTests(codex));
