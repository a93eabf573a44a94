import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint, Reply } from '#kernel/http/endpoint.ts';
import type { Upload } from '#kernel/http/upload.ts';
import { isRehearsal, rehearsing } from '#kernel/rehearse.ts';
import { answers } from '#kernel/service/answers.ts';
import type { Instance } from '../../app/instance.ts';

import { type ChangeOptions, counted, type Desk, type FileSent, type Query } from './desk.ts';
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
export function localDesk(instance: Instance, twins: readonly Endpoint[], isPlan: boolean): Desk {
  const { ctx } = instance;
  const run = (method: Endpoint['method'], path: string, handed: Handed): Promise<Reply> => {
    const isRehearsed = isPlan || handed.options?.rehearse === true;
    return answer(isRehearsed ? rehearsing(ctx) : ctx, twins, { method, path }, handed);
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
      return asJson(await answer(asked, twins, { method: 'get', path }, { query }));
    },
    post: change('post'),
    put: change('put'),
    patch: change('patch'),
    delete: (path, options, body) => change('delete')(path, body, options),
    upload: async (path, file, onBytes, how) =>
      asJson(await run(how?.method ?? 'put', path, { query: how?.query, upload: uploadOf(file, onBytes) })),
    async download(path, query, take) {
      const { content } = await run('get', path, { query });
      if (!content) throw new Error(`${path} answers no bytes`);
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

async function answer(
  ctx: Ctx,
  twins: readonly Endpoint[],
  { method, path }: { method: Endpoint['method']; path: string },
  { query, body, upload, options = {} }: Handed,
): Promise<Reply> {
  const { endpoint, params } = twinOf(twins, method, path);
  if (isRehearsal(ctx) && method !== 'get' && !endpoint.rehearsable)
    throw answers.unreadable('this operation has no dry run', 400);
  const { ifMatch, secret } = options;
  const headers = ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` };
  const input = {
    params: judged(endpoint.params, params),
    query: judged(endpoint.query, queryTexts(query)),
    headers: judged(endpoint.headers, headers),
    body: judged(endpoint.body, JSON.parse(JSON.stringify(body ?? {}))),
    raw: upload && { ...upload, stream: bounded(upload.stream, endpoint.upload?.maxBytes(ctx) ?? 0) },
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

/** @throws VALIDATION_ERROR as the admin API answers it */
function judged(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (!result.success) throw answers.invalid(result.error.issues);
  return result.data;
}

const uploadOf = (file: FileSent, onBytes: (sent: number) => void = () => undefined): Upload => ({
  filename: file.filename,
  stream: counted(file.open(), onBytes),
});

async function* bounded(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > maxBytes) throw answers.unreadable(`the file is larger than ${maxBytes} bytes`, 413);
    yield chunk;
  }
}

/** A body as a server would send it: what is undefined is not there. */
const asJson = <T>({ body }: Reply): T =>
  body === undefined || body === null ? (undefined as T) : (JSON.parse(JSON.stringify(body)) as T);
