/** Tests of the tools in a browser that they share, because a start takes as long as ten of them. */
import { type Reusable, sharing, sharingAcrossFiles } from '#test/fixtures/shared.ts';
import { type PlainStage, type ToolStage, startPlainStage, startToolStage } from './tool-stage.ts';

export const test = sharingAcrossFiles<ToolStage & Reusable>(() => startToolStage());

/** For tests that end a part of their browser, or change it for good: it lasts as long as their file. */
export const ownTest = sharing<ToolStage & Reusable>(() => startToolStage());

/** In a browser that nobody is attached to. */
export const plainTest = sharingAcrossFiles<PlainStage>(() => startPlainStage(1));
