/** The tools there are, in the order a model reads them. */
import { browserClick } from './browser-click.ts';
import { browserNavigateBack } from './browser-navigate-back.ts';
import { browserNavigate } from './browser-navigate.ts';
import { browserSnapshot } from './browser-snapshot.ts';
import { browserTabs } from './browser-tabs.ts';
import { browserTakeScreenshot } from './browser-take-screenshot.ts';
import { browserType } from './browser-type.ts';
import type { Tool } from '#extension/toolkit/tool.ts';

export const tools: readonly Tool[] = [
  browserTabs,
  browserNavigate,
  browserNavigateBack,
  browserSnapshot,
  browserClick,
  browserType,
  browserTakeScreenshot,
];
