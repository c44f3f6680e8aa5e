/** The tools there are, in the order a model reads them. */
import { browserAskHuman } from './browser-ask-human.ts';
import { browserAskSites } from './browser-ask-sites.ts';
import { browserBatch } from './browser-batch.ts';
import { browserClick } from './browser-click.ts';
import { browserClose } from './browser-close.ts';
import { browserClipboard } from './browser-clipboard.ts';
import { cookieTools } from './browser-cookie.ts';
import { webStorageTools } from './browser-web-storage.ts';
import { storageStateTools } from './browser-storage-state.ts';
import { browserRoute } from './browser-route.ts';
import { browserRouteList } from './browser-route-list.ts';
import { browserUnroute } from './browser-unroute.ts';
import { browserNetworkStateSet } from './browser-network-state-set.ts';
import { browserEmulateMedia } from './browser-emulate-media.ts';
import { browserRequest } from './browser-request.ts';
import { browserPdfSave } from './browser-pdf-save.ts';
import { browserBookmarks } from './browser-bookmarks.ts';
import { browserHistory } from './browser-history.ts';
import { browserDrag } from './browser-drag.ts';
import { browserDrop } from './browser-drop.ts';
import { browserFileUpload } from './browser-file-upload.ts';
import { browserFillForm } from './browser-fill-form.ts';
import { browserHover } from './browser-hover.ts';
import { browserConsoleMessages } from './browser-console-messages.ts';
import { browserFind } from './browser-find.ts';
import { browserDownloads } from './browser-downloads.ts';
import { browserEmulate } from './browser-emulate.ts';
import { browserEvaluate } from './browser-evaluate.ts';
import { browserHandleDialog } from './browser-handle-dialog.ts';
import { browserNavigateBack } from './browser-navigate-back.ts';
import { browserNavigateForward } from './browser-navigate-forward.ts';
import { browserNavigate } from './browser-navigate.ts';
import { browserNetworkRequests } from './browser-network-requests.ts';
import { browserNetworkRequest } from './browser-network-request.ts';
import { browserPageTool } from './browser-page-tool.ts';
import { browserPressKey } from './browser-press-key.ts';
import { browserScroll } from './browser-scroll.ts';
import { browserSelectOption } from './browser-select-option.ts';
import { browserRead } from './browser-read.ts';
import { browserReload } from './browser-reload.ts';
import { browserResize } from './browser-resize.ts';
import { browserSnapshot } from './browser-snapshot.ts';
import { browserTabs } from './browser-tabs.ts';
import { browserTakeScreenshot } from './browser-take-screenshot.ts';
import { browserType } from './browser-type.ts';
import { browserWaitFor } from './browser-wait-for.ts';
import { chromeGifRecorder } from './chrome-gif-recorder.ts';
import { chromeRequestElementSelection } from './chrome-request-element-selection.ts';
import { performanceTools } from './performance-trace.ts';
import type { Tool } from '#extension/toolkit/tool.ts';

export const tools: readonly Tool[] = [
  browserTabs,
  browserNavigate,
  browserNavigateBack,
  browserNavigateForward,
  browserReload,
  browserClose,
  browserSnapshot,
  browserFind,
  browserRead,
  browserClick,
  browserType,
  browserHover,
  browserPressKey,
  browserSelectOption,
  browserFillForm,
  browserScroll,
  browserDrag,
  browserDrop,
  browserFileUpload,
  browserTakeScreenshot,
  browserResize,
  browserHandleDialog,
  browserWaitFor,
  browserConsoleMessages,
  browserNetworkRequests,
  browserNetworkRequest,
  browserDownloads,
  browserClipboard,
  browserEvaluate,
  browserPageTool,
  browserAskHuman,
  browserAskSites,
  browserBatch,
  browserEmulate,
  browserEmulateMedia,
  ...cookieTools,
  ...webStorageTools,
  ...storageStateTools,
  browserRoute,
  browserRouteList,
  browserUnroute,
  browserNetworkStateSet,
  browserRequest,
  browserPdfSave,
  browserBookmarks,
  browserHistory,
  chromeRequestElementSelection,
  chromeGifRecorder,
  ...performanceTools,
];
