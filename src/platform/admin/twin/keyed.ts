import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint, Input, Reply } from '#kernel/http/endpoint.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { sharing } from '#kernel/sharing.ts';
import { doOnce, IdempotencyKeyHeaders, idempotencyKeyOf } from '../../idempotency/index.ts';

/** Headers of an operation: what a change depends on, and the key of one that may be sent again. */
export function headersOf(conditions: z.ZodObject | undefined, isKeyed: boolean): z.ZodObject | undefined {
  if (!conditions) return isKeyed ? IdempotencyKeyHeaders : undefined;
  return isKeyed ? keyedWith(conditions, withKey) : conditions;
}

const keyedWith = sharing<z.ZodObject, z.ZodObject>(new WeakMap());

const withKey = ({ shape }: z.ZodObject): z.ZodObject =>
  z.object({ ...shape, ...IdempotencyKeyHeaders.shape });

/**
 * The handler of an operation that is done once for each Idempotency-Key (reliability M5). A rehearsal keeps none.
 *
 * @param handle answers with JSON
 */
export const keyed =
  (
    { method, path }: Pick<Endpoint, 'method' | 'path'>,
    handle: (ctx: Ctx, asked: Input) => Promise<Reply>,
  ): Endpoint['handle'] =>
  (ctx, asked) => {
    const key = idempotencyKeyOf(asked.headers);
    if (key === undefined || isRehearsal(ctx)) return handle(ctx, asked);
    const { params, query, headers, body } = asked;
    const request = { params, query, body, ifMatch: (headers as Record<string, unknown>)['if-match'] };
    const operation = `${method.toUpperCase()} ${path}`;
    return doOnce(ctx, { key, operation, request }, (ctx) => handle(ctx, asked));
  };
