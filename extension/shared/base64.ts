/** A text as base64, in UTF-8. */
export const textToBase64 = (text: string): string => {
  const bytes = new TextEncoder().encode(text);
  const parts: string[] = [];
  // A function call takes only a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 32_768) parts.push(String.fromCharCode(...bytes.subarray(at, at + 32_768)));
  return btoa(parts.join(''));
};
