import { z } from 'zod';

/** A JSON Schema, an OpenAPI document, or the list of the names of both. */
export const SchemaOutput = z.union([
  z.looseObject({ $schema: z.string() }),
  z.looseObject({ openapi: z.string() }),
  z.strictObject({ commands: z.array(z.string()) }),
]);
