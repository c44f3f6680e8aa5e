/** Tests of the tools in a browser that lasts as long as their file: a start takes as long as ten of them. */
import { type Reusable, sharing } from '#test/fixtures/shared.ts';
import { type PlainStage, type ToolStage, startPlainStage, startToolStage } from './tool-stage.ts';

export const test = sharing<ToolStage & Reusable>(() => startToolStage());

/** In a browser that nobody is attached to. */
export const plainTest = sharing<PlainStage>(() => startPlainStage(1));
