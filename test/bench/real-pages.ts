/** Pages that real people made, as a server on this machine: what in them lies on other machines is left out. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { installPages } from './peers.ts';

const DASHBOARDS = ['index', 'index2', 'index3'];
const UI = ['buttons', 'general', 'icons', 'modals', 'timeline'].map((name) => `pages/UI/${name}`);
const FORMS = ['general', 'advanced', 'validation'].map((name) => `pages/forms/${name}`);
const TABLES = ['simple', 'data'].map((name) => `pages/tables/${name}`);
const MAIL = ['mailbox', 'compose', 'read-mail'].map((name) => `pages/mailbox/${name}`);
const OTHERS = [
  'contacts',
  'e-commerce',
  'faq',
  'invoice',
  'login',
  'profile',
  'project-add',
  'project-detail',
  'projects',
  'register',
].map((name) => `pages/examples/${name}`);
export const REAL_PAGES = [...DASHBOARDS, ...UI, ...FORMS, ...TABLES, ...MAIL, ...OTHERS, 'pages/kanban', 'pages/widgets'];

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** Its makers' script for trying the design out opens an alert. */
const LEFT_OUT = 'demo.js';

const ELSEWHERE = /<(?:link|script|iframe)[^>]*"https?:[^>]*>(?:<\/(?:script|iframe)>)?/g;

export const serveRealPages = async (): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const root = installPages();
  const server = createServer((request, response) => {
    const file = path.join(root, path.normalize(new URL(request.url ?? '/', 'http://localhost').pathname));
    const isThere = file.startsWith(root) && path.extname(file) !== '' && path.basename(file) !== LEFT_OUT && existsSync(file);
    if (!isThere) return response.writeHead(404).end();
    const body = readFileSync(file);
    const isPage = path.extname(file) === '.html';
    response.setHeader('content-type', TYPES[path.extname(file)] ?? 'application/octet-stream');
    return response.end(isPage ? body.toString('utf8').replaceAll(ELSEWHERE, '') : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
