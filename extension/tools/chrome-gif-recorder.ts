import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { sizeOfBase64 } from '#extension/shared/base64.ts';
import { toFileName } from '#extension/toolkit/file-name.ts';
import type { RecordingState } from '#extension/toolkit/records.ts';
import { textResult } from '#extension/toolkit/result.ts';
import { type ToolContext, defineTool, ofNoEffect } from '#extension/toolkit/tool.ts';
import { counted } from '#protocol/counted.ts';

const Input = z.strictObject({
  action: z
    .enum(['start', 'stop', 'status', 'auto_start', 'capture', 'clear', 'export'])
    .describe('start takes pictures at a rate, auto_start one after each call that does something; stop and export save the GIF'),
  tabId: z.number().optional().describe('Tab from get_windows_and_tabs; default: the current tab'),
  fps: z.number().min(1).max(30).optional().describe('Pictures a second, default 5'),
  durationMs: z.number().min(100).max(60_000).optional().describe('Of start, default 5000'),
  maxFrames: z.number().int().min(1).max(300).optional().describe('Default 50, 100 for auto_start'),
  width: z.number().int().min(16).max(1920).optional().describe('At most, default 800'),
  height: z.number().int().min(16).max(1080).optional().describe('At most, default 600'),
  maxColors: z.number().int().min(2).max(256).optional().describe('Default 256'),
  filename: z.string().max(150).optional().describe('Default: recording and the time'),
  frameDelayCs: z.number().int().min(2).max(500).optional().describe('How long a picture of auto_start stays, default 20'),
  download: z.boolean().optional().describe('Default true; false tells the size alone'),
  captureDelayMs: z.number().min(0).max(5_000).optional().describe('Of auto_start: from the end of a call to its picture, default 150'),
  annotation: ofNoEffect('Of no effect: nothing is drawn into the pictures'),
  enhancedRendering: ofNoEffect('Of no effect, as annotation'),
  coordinates: z.unknown().optional().describe('Not taken: hand the saved file to the page with chrome_upload_file'),
  ref: z.string().optional().describe('Not taken, as coordinates'),
  selector: z.string().optional().describe('Not taken, as coordinates'),
});
type Input = z.infer<typeof Input>;

const MINUTES_BY_CALL = 10;
/** Lets a page that is looked at draw what the call has done. */
const AFTER_CALL_MS = 150;

/** Records a tab as an animated GIF. */
export const chromeGifRecorder = defineTool({
  name: 'chrome_gif_recorder',
  set: 'chrome',
  title: 'Record the tab as an animated picture: {action} {filename}',
  description: "Record the tab as an animated GIF, saved among the user's downloads.",
  input: Input,
  parts: { tab: 'tabId' },
  toolClass: 'sensitive',
  scope: 'page',
  isReading: ({ action }) => action === 'status',
  timeoutMs: 120_000,
  run: async (given, context) => {
    const { recorder } = context;
    switch (given.action) {
      case 'start':
        recorder.start({ fps: given.fps ?? 5, maxFrames: given.maxFrames ?? 50, maxMs: given.durationMs ?? 5000, delayMs: 0 });
        return textResult(`Recording for ${(given.durationMs ?? 5000) / 1000} s at most; "stop" saves it.`);
      case 'auto_start':
        recorder.start({
          fps: null,
          maxFrames: given.maxFrames ?? 100,
          maxMs: MINUTES_BY_CALL * 60_000,
          delayMs: given.captureDelayMs ?? AFTER_CALL_MS,
        });
        await recorder.capture();
        return textResult('Recording after each call that does something in the tab, for ten minutes at most; "stop" saves it.');
      case 'capture':
        await recorder.capture();
        return textResult(toWords(recorder.state()));
      case 'status':
        return textResult(toWords(recorder.state()));
      case 'clear':
        recorder.clear();
        return textResult('The pictures are forgotten.');
      case 'stop':
        recorder.stop();
        return save(given, context);
      case 'export':
        return save(given, context);
    }
  },
});

const save = async (given: Input, { recorder, profile, signal }: ToolContext): Promise<ReturnType<typeof textResult>> => {
  if (given.coordinates !== undefined || given.ref !== undefined || given.selector !== undefined)
    throw new CompanionError(
      'TOOL_ARGUMENTS',
      'chrome_gif_recorder: it is not dropped on the page: save it, then hand it over with chrome_upload_file.',
    );
  const { width = 800, height = 600, maxColors = 256, frameDelayCs = 20, download = true } = given;
  const gif = await recorder.toGif({ width, height, maxColors, frameDelayCs });
  const state = toWords(recorder.state());
  if (gif === null) return textResult(`${state} There is nothing to save.`);
  const told = `${sizeOfBase64(gif.dataBase64)} bytes, ${gif.width} × ${gif.height}`;
  if (!download) return textResult(`${state} As a GIF: ${told}.`);
  const name = toFileName(given.filename ?? `recording-${new Date().toISOString().replaceAll(':', '-')}`, 'gif', 'recording');
  const path = await profile.save({ name, mimeType: 'image/gif', dataBase64: gif.dataBase64 }, signal);
  return textResult(`${state} Saved ${told}, as ${path}`);
};

const toWords = (state: RecordingState | null): string => {
  if (state === null) return 'This tab is not recorded.';
  const { isRunning, isByCall, frames, missed } = state;
  const words = `${counted(frames, 'picture')}${missed === 0 ? '' : `, ${missed} missed while the tab changed or showed another site`}.`;
  return isRunning ? `Recording ${isByCall ? 'after each call' : 'at a rate'}: ${words}` : `Recorded: ${words}`;
};
