/** Imported first: zod would otherwise probe `new Function`, which the extension's content security policy reports even though it is caught. */
import * as z from 'zod';

z.config({ jitless: true });
