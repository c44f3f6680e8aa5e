import * as z from 'zod';
import { sizeOfBase64 } from '#extension/shared/base64.ts';
import { toFileName } from '#extension/toolkit/file-name.ts';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Width and height in inches. */
const FORMATS = { a4: [8.27, 11.69], a3: [11.69, 16.54], letter: [8.5, 11], legal: [8.5, 14] } as const;

const Printed = z.object({ data: z.string() });

/** Saves a page as it is printed. */
export const browserPdfSave = defineTool({
  name: 'browser_pdf_save',
  set: 'pdf',
  title: 'Save the page as the PDF {filename}',
  description: "Save the page as a PDF among the user's downloads, and get its path.",
  input: z.strictObject({
    filename: z.string().min(1).max(150).optional().describe('Default: the title of the page'),
    format: z.enum(['a4', 'a3', 'letter', 'legal']).optional().describe('Default a4'),
    landscape: z.boolean().optional().describe('Wide instead of high'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'sensitive',
  scope: 'page',
  run: async ({ filename, format = 'a4', landscape = false }, { page, profile, signal }) => {
    const { title } = await page.info();
    await page.rest();
    const [paperWidth, paperHeight] = FORMATS[format];
    const { data } = Printed.parse(await page.print({ paperWidth, paperHeight, landscape, printBackground: true }));
    const path = await profile.save(
      { name: toFileName(filename ?? title, 'pdf', 'page'), mimeType: 'application/pdf', dataBase64: data },
      signal,
    );
    return textResult(`Saved ${sizeOfBase64(data)} bytes as ${path}`);
  },
});
