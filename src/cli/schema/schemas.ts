import { z } from 'zod';

/** A JSON Schema, or the list of commands that have one. */
export const SchemaOutput = z.union([
  z.looseObject({ $schema: z.string() }),
  z.strictObject({ commands: z.array(z.string()) }),
]);
