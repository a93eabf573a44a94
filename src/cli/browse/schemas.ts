import { z } from 'zod';

/** Stdout of `open`. */
export const OpenOutput = z.object({ url: z.url(), opened: z.boolean() });
