import type { z } from 'zod';
import type { Content } from '#kernel/http/content.ts';
import { download, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { NoBody, noting } from '../fields.ts';
import type { Manner } from '../manner.ts';
import type { Action } from '../resource.ts';
import { creating, orWrite, rehearsed, replyOf, staleIn, withConflict } from './creating.ts';
import { ATTACHMENT } from './export.ts';
import { answerOf, type Frame, idOf, readChange, required, requirePlace } from './frame.ts';
import { headersOf, keyed } from './keyed.ts';

/** What makes, changes and removes items, and what else can be done with them. */
export function changingOf<Row extends object>(frame: Frame<Row>): Endpoint[] {
  const { spec, twin } = frame;
  const offered = (name: 'create' | 'change' | 'remove') => !twin.without?.includes(name);
  return [
    ...(spec.create && offered('create') ? [creating(frame)] : []),
    ...(spec.edit && offered('change') ? [editing(frame)] : []),
    ...(spec.remove && offered('remove') ? [removing(frame)] : []),
    ...Object.entries(spec.actions ?? {})
      .filter(([, { where }]) => where !== 'bulk')
      .map(([name, one]) => acting(frame, name, one)),
  ];
}

function editing<Row extends object>(frame: Frame<Row>): Endpoint {
  const { spec, manner, naming, one, itemParams } = frame;
  const edit = required(spec.edit, 'change', spec);
  return endpoint({
    method: 'patch',
    path: one,
    summary: edit.summary ?? `Change a ${spec.labels.one}; fields that are not sent stay as they are`,
    scope: required(spec.needs.write, 'change', spec),
    ...orWrite(spec),
    limit: null,
    ...rehearsed(edit),
    params: itemParams,
    headers: () => frame.conditions,
    body: () =>
      manner.body(edit.schema, edit.hasVersion ?? true).meta({ id: edit.body ?? `${naming.type}UpdateBody` }),
    replies: () => ({ 200: replyOf(frame, edit, 'Changed') }),
    errors: () => [
      'VALIDATION_ERROR',
      'NOT_FOUND',
      ...(edit.errors ?? ['CONFLICT']),
      ...staleIn(frame.conditions),
    ],
    handle: async (ctx, asked) => {
      const { id, input, how } = readChange(frame, asked, edit.schema);
      await requirePlace(frame, ctx, { id, named: how.named });
      return ok(await answerOf(frame, ctx, await edit.run(noting(ctx, how), id, input, how)));
    },
  });
}

function removing<Row extends object>(frame: Frame<Row>): Endpoint {
  const { spec, manner, one, itemParams } = frame;
  const remove = required(spec.remove, 'remove', spec);
  return endpoint({
    method: 'delete',
    path: one,
    summary: remove.summary ?? `Delete a ${spec.labels.one}`,
    scope: required(spec.needs.remove ?? spec.needs.write, 'remove', spec),
    ...orWrite(spec),
    limit: null,
    ...rehearsed(remove),
    params: itemParams,
    headers: () => frame.conditions,
    ...bodyOfRemoval(remove.input, manner),
    ...queryOfRemoval(remove.query, manner),
    replies: { 200: manner.removed },
    errors: () => [
      'VALIDATION_ERROR',
      'NOT_FOUND',
      ...(remove.errors ?? ['CONFLICT']),
      ...staleIn(frame.conditions),
    ],
    handle: async (ctx, asked) => {
      const { id, input, how } = readChange(frame, asked, remove.input);
      await requirePlace(frame, ctx, { id, named: how.named });
      const asking = { ...(asked.query as object | undefined), ...input };
      const gone = await remove.run(noting(ctx, how), id, how, asking);
      // A path may name it otherwise: the answer names what went by its id.
      return ok(manner.removedBody(idOf(gone) ?? id));
    },
  });
}

function bodyOfRemoval(input: z.ZodObject | undefined, manner: Manner) {
  return input ? { body: () => manner.body(input, true), bodyOptional: true as const } : {};
}

const queryOfRemoval = (query: z.ZodObject | undefined, manner: Manner) =>
  query ? { query: () => manner.query(query.shape) } : {};

function acting<Row extends object>(frame: Frame<Row>, name: string, one: Action<Row>): Endpoint {
  const { spec, manner, itemParams, collectionParams } = frame;
  const { method = 'post', status = 200, conditional, output, file } = one;
  const onItem = one.where !== 'page';
  const params = onItem ? itemParams : collectionParams;
  const form = one.input ?? NoBody;
  const takesBody = method !== 'get' && !one.upload;
  // What is replaced or taken away twice is so once; a file is not kept to compare it with another one.
  const isKeyed = method === 'post' && takesBody && !file;
  const at = { method, path: (onItem ? frame.one : frame.collection) + (one.path ?? `/${name}`) };
  const handle = handlerOf(frame, one, form);
  return endpoint({
    ...at,
    summary: one.summary ?? `${one.label} a ${spec.labels.one}`,
    scope: one.needs,
    ...(one.or && { orScope: one.or }),
    limit: null,
    ...(takesBody && rehearsed(one)),
    ...(one.upload && { upload: one.upload, ...(one.sudo && { sudo: one.sudo }) }),
    ...(params && { params }),
    ...(one.query && { query: one.query }),
    headers: () => headersOf(conditional && manner.conditions, isKeyed),
    ...(takesBody && {
      body: one.input ? () => manner.body(form, conditional ?? false) : manner.nothing,
      bodyOptional: () => (form.safeParse({}).success ? true : undefined),
    }),
    ...(file && { content: { type: file.type, headers: { 'Content-Disposition': ATTACHMENT } } }),
    replies: () =>
      file ? {} : { [status]: output ? manner.other(output) : replyOf(frame, one, suffixOf(name)) },
    errors: [
      'VALIDATION_ERROR',
      ...(params ? ['NOT_FOUND'] : []),
      ...(isKeyed ? withConflict(one.errors ?? errorsOf(one)) : (one.errors ?? errorsOf(one))),
    ],
    handle: isKeyed ? keyed(at, handle) : handle,
  });
}

function handlerOf<Row extends object>(
  frame: Frame<Row>,
  one: Action<Row>,
  form: z.ZodObject,
): Endpoint['handle'] {
  const { status = 200, output, file } = one;
  return async (ctx, asked) => {
    const { id, input, how } = readChange(frame, asked, form);
    await requirePlace(frame, ctx, { id, named: how.named });
    const given = one.upload ? { file: asked.raw, query: asked.query } : one.query ? asked.query : input;
    const answer = await one.run(noting(ctx, how), id, given as never, how);
    if (file) return download(answer as Content);
    const body = output
      ? frame.manner.otherBody(answer as object)
      : await answerOf(frame, ctx, answer as Row);
    return { status, body };
  };
}

const errorsOf = ({ conditional, method }: Pick<Action, 'conditional' | 'method'>): string[] => [
  ...(method === 'get' ? [] : ['CONFLICT']),
  ...(conditional ? ['PRECONDITION_FAILED'] : []),
];

/** `rotate-secret`: `RotateSecret`. */
const suffixOf = (name: string): string =>
  name.replaceAll(/(^|-)([a-z])/g, (_, _dash: string, letter: string) => letter.toUpperCase());
