/**
 * What development servers say in a page's console of a build that failed, where they draw nothing above the page. Both functions run in the
 * page's own world, one by one and by themselves, so they may use nothing from outside themselves. They find each other by an event on the
 * document, whose name `key` the page does not know.
 */

/** The first lines of each error that stands, empty when there is none; with the first call it begins to listen. */
export const buildErrorsTold = (key: string): string => {
  const maxErrors = 5;
  const maxLines = 12;
  const question = { order: 'told', isHeard: false, text: '' };
  document.dispatchEvent(new CustomEvent(key, { detail: question }));
  if (question.isHeard) return question.text;
  /** What webpack and those built on it, Vite, Parcel and Next begin their lines with. */
  const mark = /^\W*\[(?:webpack-dev-server|rspack-dev-server|rsbuild|hmr|vite|parcel|fast refresh|turbopack)\]\s*/iu;
  /** Of the connection to the server, and not of a build. */
  const ofConnection = /^(?:failed to connect|disconnected|trying to reconnect|server connection|connect|websocket|polling|new window)/i;
  const failedUpdate = /^(?:update failed|cannot (?:apply|find) update)/i;
  const failedBuild = /^(?:\W*error in |failed to compile|module (?:build|parse) failed|module not found|build failed)/im;
  /** Next and Create React App tell of the file first, without a mark. */
  const failedFile = /^\.\.?\/\S+\.\w+(?::\d+)*\n/;
  const colours = new RegExp(`${String.fromCodePoint(27)}\\[[\\d;]*m`, 'g');
  let errors: string[] = [];
  const toText = (args: readonly unknown[]): string =>
    args
      .map((arg) => (arg instanceof Error ? (arg.stack ?? arg.message) : String(arg)))
      .join(' ')
      .replaceAll(colours, '')
      .trim();
  const hear = (level: string, text: string): void => {
    const said = text.replace(mark, '');
    const isMarked = said !== text && !ofConnection.test(said);
    const isError = level === 'error' && (isMarked || failedBuild.test(said) || failedFile.test(said));
    if (isError || (level === 'warn' && isMarked && failedUpdate.test(said)))
      errors = [...errors, text.split('\n').slice(0, maxLines).join('\n')].slice(0, maxErrors);
    // The server builds anew, or the page has taken an update.
    else if (isMarked && level !== 'warn' && level !== 'error') errors = [];
  };
  const undo: (() => void)[] = [];
  const watch = (name: string, before: (args: readonly unknown[]) => void): void => {
    const original: unknown = Reflect.get(console, name);
    if (typeof original !== 'function') return;
    const watched: unknown = new Proxy(original, {
      apply: (target, self, args: unknown[]): unknown => {
        try {
          before(args);
        } catch {
          // What has no text says nothing of a build.
        }
        return Reflect.apply(target, self, args);
      },
    });
    Reflect.set(console, name, watched);
    undo.push(() => Reflect.get(console, name) === watched && Reflect.set(console, name, original));
  };
  for (const level of ['error', 'warn', 'info', 'log', 'debug']) watch(level, (args) => hear(level, toText(args)));
  // Parcel does so when a build has gone well.
  watch('clear', () => void (errors = []));
  // In the place of a module that could not be built, webpack puts one that throws.
  const onError = ({ message }: ErrorEvent): void => hear('error', message.replace(/^Uncaught (?:Error: )?/, ''));
  addEventListener('error', onError);
  undo.push(() => removeEventListener('error', onError));
  const answer = (event: Event): void => {
    const asked: unknown = event instanceof CustomEvent ? event.detail : null;
    if (typeof asked !== 'object' || asked === null) return;
    const order: unknown = Reflect.get(asked, 'order');
    if (order === 'told' && Reflect.set(asked, 'isHeard', true)) Reflect.set(asked, 'text', errors.join('\n'));
    if (order === 'end') for (const restore of [...undo, () => document.removeEventListener(key, answer)]) restore();
  };
  document.addEventListener(key, answer);
  return '';
};

/** The console is the page's own again. */
export const endBuildErrors = (key: string): void => {
  document.dispatchEvent(new CustomEvent(key, { detail: { order: 'end' } }));
};
