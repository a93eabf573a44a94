import { z } from 'zod';

const topic = { topic: z.string(), title: z.string() };

/** A page of the manual, the list of them, or the pages that hold a text. */
export const HelpOutput = z.union([
  z.strictObject({ ...topic, markdown: z.string() }),
  z.strictObject({ topics: z.array(z.strictObject({ ...topic, section: z.string() })) }),
  z.strictObject({ found: z.array(z.strictObject({ ...topic, line: z.string() })) }),
]);
