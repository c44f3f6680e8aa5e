/** Files from the clipboard, a drop or the file dialog, read for the prompt. */
import type { Attached } from './outbox.ts';

/** Largest single file: the daemon takes 50 MB of JSON, and base64 makes four bytes of three. */
export const MAX_FILE_BYTES = 20_000_000;

/** Splits files into those that fit and the names of those that do not. */
export const readFiles = async (files: readonly File[]): Promise<{ attached: Attached[]; tooLarge: string[] }> => {
  const fitting = files.filter((file) => file.size <= MAX_FILE_BYTES);
  return {
    attached: await Promise.all(fitting.map(toAttached)),
    tooLarge: files.filter((file) => file.size > MAX_FILE_BYTES).map((file) => file.name),
  };
};

const toAttached = async (file: File): Promise<Attached> => ({
  type: file.type.startsWith('image/') ? 'image' : 'file',
  name: file.name === '' ? 'pasted' : file.name,
  mimeType: file.type === '' ? 'application/octet-stream' : file.type,
  dataBase64: await toBase64(file),
});

/** By way of a data URL: it is the one encoder that every supported Chrome has for large files. */
const toBase64 = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve(url.slice(url.indexOf(',') + 1));
    });
    reader.addEventListener('error', () => reject(new Error(`${file.name} could not be read`, { cause: reader.error })));
    reader.readAsDataURL(file);
  });
