/** A text as base64, in UTF-8. */
export const textToBase64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text));

export const base64ToBytes = (text: string): Uint8Array<ArrayBuffer> => {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
};

/** How many bytes it stands for. */
export const sizeOfBase64 = (text: string): number =>
  Math.floor((text.length * 3) / 4) - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);

export const bytesToBase64 = (bytes: Uint8Array): string => {
  const parts: string[] = [];
  // A function call takes only a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 32_768) parts.push(String.fromCharCode(...bytes.subarray(at, at + 32_768)));
  return btoa(parts.join(''));
};
