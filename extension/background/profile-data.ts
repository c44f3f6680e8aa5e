/** What belongs to the person's browser profile and to no tab: clipboard, bookmarks, history, files among the downloads. */
import type { OptionalPermission } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explainInFront } from '#protocol/front-faults.ts';
import { type OffLimits, isClosedSite } from '#extension/shared/addresses.ts';
import { KeeperMessage } from '#extension/shared/messages.ts';
import { PageError } from '#extension/toolkit/page-error.ts';
import type { BookmarkRow, ProfileData, VisitRow } from '#extension/toolkit/tool.ts';
import { keeperIsOpen } from './keeper.ts';
import { ownFiles } from './own-files.ts';
import { orAborted } from './queue.ts';

/** Chrome gives these when the person agrees to it, in a page of the extension. */
export const checkPermissions = async (permissions: readonly OptionalPermission[]): Promise<void> => {
  if (permissions.length > 0 && !(await chrome.permissions.contains({ permissions: [...permissions] })))
    throw new CompanionError('BROWSER_PERMISSION');
};

/** Of sites that the person has closed to agents it tells nothing. */
export const toProfileData = (offLimits: () => OffLimits): ProfileData => ({
  readClipboard: () => askKeeper({ to: 'keeper', type: 'clipboard.read' }),
  writeClipboard: async (text) => {
    if ((await askKeeper({ to: 'keeper', type: 'clipboard.write', text })) !== 'done')
      throw new CompanionError('TOOL_FAILED', 'The browser did not take the text.');
  },
  findBookmarks: async ({ query, folder, maxResults }) => {
    const within = folder === undefined ? null : await folderNamed(folder);
    if (folder !== undefined && within === null) return [];
    const found = within === null ? await search(query) : fitting(await chrome.bookmarks.getSubTree(within), query);
    const links = found.filter(({ url }) => url !== undefined && !isClosedSite(url, offLimits())).slice(0, maxResults);
    return Promise.all(links.map(toRow));
  },
  addBookmark: async ({ url, title, folder, createFolder }) => {
    const found = folder === undefined ? null : await folderNamed(folder);
    if (folder !== undefined && found === null && !createFolder)
      throw new PageError('TOOL_ARGUMENTS', 'There is no such folder of bookmarks; createFolder makes it.', '');
    const parentId = found ?? (folder === undefined ? undefined : (await chrome.bookmarks.create({ title: folder })).id);
    return chrome.bookmarks.create({ url, title, ...(parentId === undefined ? {} : { parentId }) });
  },
  bookmarksOf: async (which) =>
    (await chrome.permissions.contains({ permissions: ['bookmarks'] }))
      ? Promise.all((await linksOf(which, offLimits())).map(toRow))
      : null,
  removeBookmarks: async (which) => {
    const links = await linksOf(which, offLimits());
    for (const node of links) await chrome.bookmarks.remove(node.id);
    return links.length;
  },
  findVisits: async ({ text, from, to, maxResults, excludeCurrentTabs }) => {
    const open = new Set(excludeCurrentTabs ? (await chrome.tabs.query({})).map(({ url }) => url) : []);
    const isTold = ({ url = '' }: chrome.history.HistoryItem): boolean => !open.has(url) && !isClosedSite(url, offLimits());
    for (let asked = maxResults; ; asked *= 4) {
      const found = await chrome.history.search({ text, startTime: from, endTime: to, maxResults: asked });
      const told = found.filter(isTold);
      // What is left out makes room for others.
      if (told.length >= maxResults || found.length < asked) return told.slice(0, maxResults).map(toVisit);
    }
  },
  save: async ({ name, mimeType, dataBase64 }, signal) => {
    const url = await askKeeper({ to: 'keeper', type: 'blob', mimeType, dataBase64 });
    ownFiles.set(url, name);
    try {
      const downloadId = await chrome.downloads.download({ url, filename: name, conflictAction: 'uniquify', saveAs: false });
      return await orAborted(whenComplete(downloadId), signal);
    } finally {
      ownFiles.delete(url);
      await askKeeper({ to: 'keeper', type: 'blob.done', url });
    }
  },
});

/** The keeper is a page, and may do what a worker cannot. */
const askKeeper = async (message: KeeperMessage): Promise<string> => {
  await keeperIsOpen();
  const answer: unknown = await chrome.runtime.sendMessage(KeeperMessage.parse(message));
  if (typeof answer !== 'string')
    throw new CompanionError('TOOL_FAILED', 'A page of the extension does not answer.', { remedy: explainInFront('reload_extension') });
  return answer;
};

/** Without folders, each of which is more than one bookmark. */
const linksOf = async (
  { id, url }: { id: string | undefined; url: string | undefined },
  limits: OffLimits,
): Promise<chrome.bookmarks.BookmarkTreeNode[]> => {
  const found = id === undefined ? await chrome.bookmarks.search({ url: url ?? '' }) : await chrome.bookmarks.get(id).catch(() => []);
  return found.filter((node) => node.url !== undefined && !isClosedSite(node.url, limits));
};

const search = (query: string): Promise<chrome.bookmarks.BookmarkTreeNode[]> =>
  query === '' ? chrome.bookmarks.getRecent(500) : chrome.bookmarks.search(query);

const fitting = (nodes: readonly chrome.bookmarks.BookmarkTreeNode[], query: string): chrome.bookmarks.BookmarkTreeNode[] =>
  nodes.flatMap((node) => {
    const text = `${node.title} ${node.url ?? ''}`.toLowerCase();
    const fits = query
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word));
    return [...(fits ? [node] : []), ...fitting(node.children ?? [], query)];
  });

/** By its id or its name; the last part of a path counts. */
const folderNamed = async (named: string): Promise<string | null> => {
  const [byId] = await chrome.bookmarks.get(named).catch(() => []);
  if (byId !== undefined && byId.url === undefined) return byId.id;
  const title = named.split('/').findLast((part) => part !== '') ?? named;
  const found = await chrome.bookmarks.search({ title });
  return found.find(({ url }) => url === undefined)?.id ?? null;
};

const toRow = async ({ id, title, url = '', parentId }: chrome.bookmarks.BookmarkTreeNode): Promise<BookmarkRow> => {
  const [parent] = parentId === undefined ? [] : await chrome.bookmarks.get(parentId);
  return { id, title, url, folder: parent?.title ?? '' };
};

const toVisit = ({ title = '', url = '', lastVisitTime = 0, visitCount = 0 }: chrome.history.HistoryItem): VisitRow => ({
  title,
  url,
  at: lastVisitTime,
  visits: visitCount,
});

/** In Chrome's word for it: https://developer.chrome.com/docs/extensions/reference/api/downloads#type-InterruptReason */
const toReason = (error = ''): string => {
  if (error === 'FILE_NO_SPACE') return ': the disk is full';
  return error === '' ? '' : ` (${error})`;
};

/** The path of a file once it is there. */
const whenComplete = async (downloadId: number): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onChanged = (change: chrome.downloads.DownloadDelta): void => {
    if (change.id === downloadId && change.state !== undefined) resolve(undefined);
  };
  chrome.downloads.onChanged.addListener(onChanged);
  try {
    for (;;) {
      const [item] = await chrome.downloads.search({ id: downloadId });
      if (item?.state === 'complete') return item.filename;
      if (item?.state !== 'in_progress')
        throw new CompanionError('TOOL_FAILED', `The file could not be saved${toReason(item?.error)}.`, {
          remedy: explainInFront('check_downloads'),
        });
      await promise;
    }
  } finally {
    chrome.downloads.onChanged.removeListener(onChanged);
  }
};
