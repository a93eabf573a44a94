import type { z } from 'zod';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import type { Permission } from '../../permissions/index.ts';
import { noting } from '../fields.ts';
import type { Making } from '../resource.ts';
import { afterChange, answerOf, type Frame, readChange, required, requirePlace } from './frame.ts';
import { headersOf, keyed } from './keyed.ts';

/** What makes an item. @throws Error for a resource of which none are made */
export function creating<Row extends object>(frame: Frame<Row>): Endpoint {
  const { spec, manner, naming, collection, collectionParams, twin } = frame;
  const create = required(spec.create, 'create', spec);
  const { status = 201 } = create;
  const conditions = () => (status === 200 ? frame.conditions : undefined);
  const at = { method: 'post', path: collection } as const;
  const handle: Endpoint['handle'] = async (ctx, asked) => {
    const { id, input, how } = readChange(frame, asked, create.schema);
    await requirePlace(frame, ctx, { id, named: how.named });
    const body = await answerOf(frame, ctx, await create.run(noting(ctx, how), input, how));
    return { status, body };
  };
  return endpoint({
    ...at,
    summary: create.summary ?? `Create a ${spec.labels.one}`,
    scope: required(spec.needs.create ?? spec.needs.write, 'create', spec),
    ...(spec.needs.create === undefined && orWrite(spec)),
    limit: null,
    ...rehearsed(create),
    ...(collectionParams && { params: collectionParams }),
    headers: () => headersOf(conditions(), true),
    body: () => manner.body(create.schema, false).meta({ id: create.body ?? `${naming.type}CreateBody` }),
    replies: () => ({ [status]: replyOf(frame, create, 'Created') }),
    errors: () => [
      'VALIDATION_ERROR',
      ...(twin.parent ? ['NOT_FOUND'] : []),
      ...withConflict(create.errors),
      ...staleIn(conditions()),
    ],
    handle: create.isOnce ? handle : keyed(at, handle),
  });
}

export const rehearsed = ({ rehearsable, sudo }: { rehearsable?: false; sudo?: true }) => ({
  ...(rehearsable !== false && { rehearsable: true as const }),
  ...(sudo && { sudo }),
});

/** The answer of what makes or changes an item. */
export function replyOf<Row extends object>(
  { manner, naming, twin }: Frame<Row>,
  { beside, answer }: Pick<Making<never>, 'beside' | 'answer'>,
  suffix: string,
): z.ZodObject {
  const shown = afterChange(twin);
  const named = shown === twin ? naming : { ...naming, type: `${naming.type}Details` };
  if (!beside) return manner.one(named, shown.view);
  return manner.oneWith(named, shown.view, beside, answer ?? `${naming.type}${suffix}`);
}

/** The other permission that opens what changes. */
export const orWrite = ({ needs }: { needs: { readonly orWrite?: Permission } }) =>
  needs.orWrite === undefined ? {} : { orScope: needs.orWrite };

/** Of an operation that may be sent again with a key: which a rival may have, or another request. */
export const withConflict = (errors: readonly string[] = []): string[] => [
  ...new Set([...errors, 'CONFLICT']),
];

export const staleIn = (conditions: z.ZodObject | undefined): string[] =>
  conditions ? ['PRECONDITION_FAILED'] : [];
