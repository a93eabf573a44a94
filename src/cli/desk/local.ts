import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { Endpoint, Reply } from '#kernel/http/endpoint.ts';
import type { Upload } from '#kernel/http/upload.ts';
import { isRehearsal, rehearsing } from '#kernel/rehearse.ts';
import type { Instance } from '../../app/instance.ts';
import type { DeskApi } from './api.ts';
import { type ChangeOptions, counted, type Desk, type FileSent, type Query } from './desk.ts';
import type { Offered } from './named.ts';
import { queryTexts, twinOf } from './twin.ts';

/** What a call hands over beside its path. */
interface Handed {
  readonly query?: Query | undefined;
  readonly body?: object | undefined;
  readonly upload?: Upload;
  readonly options?: ChangeOptions | undefined;
}

/**
 * The desk of the local installation: its operations run in this process, as the user of this machine.
 *
 * @param isPlan every change is rehearsed
 */
export function localDesk(instance: Instance, offered: Offered, isPlan: boolean): Desk {
  const { tenantId } = offered.api;
  const ctx = tenantId === null ? instance.ctx : instance.ctx.with({ tenantId });
  const run = (method: Endpoint['method'], path: string, handed: Handed): Promise<Reply> => {
    const isRehearsed = isPlan || handed.options?.rehearse === true;
    return answer(isRehearsed ? rehearsing(ctx) : ctx, offered, { method, path }, handed);
  };
  const change =
    (method: Endpoint['method']) =>
    async <T>(path: string, body?: object, options: ChangeOptions = {}): Promise<T> =>
      asJson(await run(method, path, { query: options.query, body, options }));
  return {
    local: instance,
    byApiKey: null,
    get: async (path, query, of) => {
      const asked = of ? ctx.with({ tenantId: of.id }) : ctx;
      return asJson(await answer(asked, offered, { method: 'get', path }, { query }));
    },
    post: change('post'),
    put: change('put'),
    patch: change('patch'),
    delete: (path, options, body) => change('delete')(path, body, options),
    upload: async (path, file, onBytes, how) =>
      asJson(await run(how?.method ?? 'put', path, { query: how?.query, upload: uploadOf(file, onBytes) })),
    async download(path, query, take) {
      const { content } = await run('get', path, { query });
      if (!content) throw new Error(`${path} does not return a file`);
      const { type, size } = content;
      const end = size === null ? Number.POSITIVE_INFINITY : size - 1;
      try {
        return await take({ type, size, chunks: content.read(0, end) });
      } finally {
        await content.close();
      }
    },
  };
}

type Called = { method: Endpoint['method']; path: string };

/** @throws AppError as the API spells it */
async function answer(ctx: Ctx, offered: Offered, called: Called, handed: Handed): Promise<Reply> {
  try {
    return await answered(ctx, offered, called, handed);
  } catch (error) {
    throw error instanceof AppError ? offered.api.refused(error) : error;
  }
}

async function answered(
  ctx: Ctx,
  { api, twins }: Offered,
  called: Called,
  { query, body, upload, options = {} }: Handed,
): Promise<Reply> {
  const { endpoint, params } = twinOf(twins, api.base, called);
  if (isRehearsal(ctx) && called.method !== 'get' && !endpoint.rehearsable)
    throw api.unreadable('this operation has no dry run', 400);
  const { ifMatch, secret } = options;
  const headers = ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` };
  const input = {
    params: judged(api, endpoint.params, params),
    query: judged(api, endpoint.query, queryTexts(query)),
    headers: judged(api, endpoint.headers, headers),
    body: judged(api, endpoint.body, JSON.parse(JSON.stringify(body ?? {}))),
    raw: upload && { ...upload, stream: bounded(api, upload.stream, endpoint.upload?.maxBytes(ctx) ?? 0) },
  };
  if (secret === undefined || isRehearsal(ctx)) return endpoint.handle(ctx, input);
  let isKept = false;
  const keepSecret = (text: string): void => {
    secret.keep(text);
    isKept = true;
  };
  const reply = await endpoint.handle(ctx.with({ origin: { ...ctx.origin, keepSecret } }), input);
  if (!isKept) secret.keep(String((reply.body as Record<string, unknown>)[secret.name]));
  return reply;
}

/** @throws VALIDATION_ERROR as the API answers it */
function judged(api: DeskApi, schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (!result.success) throw api.invalid(result.error.issues);
  return result.data;
}

const uploadOf = (file: FileSent, onBytes: (sent: number) => void = () => undefined): Upload => ({
  filename: file.filename,
  stream: counted(file.open(), onBytes),
});

async function* bounded(
  api: DeskApi,
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > maxBytes) throw api.unreadable(`the file is larger than ${maxBytes} bytes`, 413);
    yield chunk;
  }
}

/** A body as a server would send it: what is undefined is not there. */
const asJson = <T>({ body }: Reply): T =>
  body === undefined || body === null ? (undefined as T) : (JSON.parse(JSON.stringify(body)) as T);
