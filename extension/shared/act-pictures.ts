/**
 * Small pictures of a page before and after an agent's act in it. They stay in this profile: the worker puts them into a database of the
 * extension, and its pages read them there.
 */
import * as z from 'zod';

/** Pictures as base64 JPEG; null where none could be taken. */
export const ActPictures = z.object({
  callId: z.string(),
  sessionId: z.string(),
  at: z.number(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type ActPictures = z.infer<typeof ActPictures>;

/** How many acts have pictures; the oldest make room. */
export const MOST_ACTS = 200;

const STORE = 'acts';
const BY_TIME = 'by-time';

export const keepPictures = (pictures: ActPictures): Promise<void> =>
  within('readwrite', async (store) => {
    await done(store.put(pictures));
    let surplus = (await done(store.count())) - MOST_ACTS;
    await each(store.index(BY_TIME).openCursor(), (cursor) => {
      if (surplus <= 0) return false;
      cursor.delete();
      surplus -= 1;
      return true;
    });
  });

/** Those of these calls that there are. */
export const readPictures = (callIds: readonly string[]): Promise<ActPictures[]> =>
  within('readonly', async (store) => {
    const found = await Promise.all(callIds.map((callId) => done(store.get(callId))));
    return found.flatMap((one) => {
      const parsed = ActPictures.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    });
  });

/** Of how many acts there are some. */
export const countPictures = (): Promise<number> => within('readonly', (store) => done(store.count()));

/** Lets go of those whose session is gone. */
export const keepPicturesOf = (sessionIds: ReadonlySet<string>): Promise<void> =>
  within('readwrite', (store) =>
    each(store.openCursor(), (cursor) => {
      const parsed = ActPictures.safeParse(cursor.value);
      if (!parsed.success || !sessionIds.has(parsed.data.sessionId)) cursor.delete();
      return true;
    }),
  );

export const forgetPictures = (): Promise<void> => within('readwrite', (store) => done(store.clear()));

const within = async <T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<T>): Promise<T> => {
  const opening = indexedDB.open('act-pictures', 1);
  opening.addEventListener('upgradeneeded', () => {
    opening.result.createObjectStore(STORE, { keyPath: 'callId' }).createIndex(BY_TIME, 'at');
  });
  const database = await done(opening);
  try {
    const transaction = database.transaction(STORE, mode);
    const over = new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve());
      transaction.addEventListener('abort', () => reject(new Error('the pictures were not kept', { cause: transaction.error })));
    });
    const result = await work(transaction.objectStore(STORE));
    await over;
    return result;
  } finally {
    database.close();
  }
};

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(new Error('the database of pictures cannot be used', { cause: request.error })));
  });

/** Goes on as long as `visit` says so. */
const each = (request: IDBRequest<IDBCursorWithValue | null>, visit: (cursor: IDBCursorWithValue) => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    request.addEventListener('error', () => reject(new Error('the database of pictures cannot be used', { cause: request.error })));
    request.addEventListener('success', () => {
      const cursor = request.result;
      if (cursor !== null && visit(cursor)) cursor.continue();
      else resolve();
    });
  });
