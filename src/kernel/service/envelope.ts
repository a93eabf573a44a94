import type { AppError } from '../errors.ts';
import type { Contract } from '../http/surface.ts';

/** Body of a success: the reply beside `success` (spec, Conventions). */
export const successBody = (body: unknown): Record<string, unknown> => ({
  success: true,
  ...(body as object),
});

/**
 * Body of a refusal (spec, Conventions; D1).
 *
 * @param requestId null when no request caused it, as in a simulation
 */
export const failureBody = (
  { code, message, details, extra }: AppError,
  requestId: string | null,
): Record<string, unknown> => ({
  success: false,
  error: { code, message, ...(Object.keys(details).length > 0 && { details }) },
  ...extra,
  ...(requestId !== null && { requestId }),
});

/** The part of a contract that tells of both bodies. */
export const envelopeContract = {
  schemas: {
    Success: {
      type: 'object',
      properties: { success: { type: 'boolean', enum: [true] } },
      required: ['success'],
    },
  },
  success: (schema: Record<string, unknown>) => ({
    allOf: [{ $ref: '#/components/schemas/Success' }, schema],
  }),
  failure: {
    type: 'object',
    required: ['success', 'error', 'requestId'],
    properties: {
      success: { type: 'boolean', enum: [false] },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'string' }, message: { type: 'string' }, details: { type: 'object' } },
      },
      requestId: { type: 'string' },
    },
  },
} as const satisfies Partial<Contract>;
