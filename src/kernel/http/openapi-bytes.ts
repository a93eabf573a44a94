import type { Endpoint } from './endpoint.ts';

type Json = Record<string, unknown>;

const BINARY: Json = { type: 'string', format: 'binary' };

/** The file that an endpoint can answer with in place of JSON. */
export const fileOf = ({ file }: Endpoint): Json => (file ? { [file.type]: { schema: BINARY } } : {});

/** What every answer with content tells beside what its endpoint declares. */
const OWN_HEADERS = {
  'Accept-Ranges': 'Always `bytes`',
  ETag: 'Strong; good for If-Range, If-Match and If-None-Match',
} as const;

/** Responses of an endpoint that answers with bytes (licensing D92): whole, a range, or what the conditions ask for. */
export function contentResponses({ type, headers }: NonNullable<Endpoint['content']>): Json {
  const bytes = { [type]: { schema: BINARY } };
  const told = headerObjects({ ...OWN_HEADERS, ...headers });
  const failure = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const part = headerObjects({ 'Content-Range': '`bytes FIRST-LAST/SIZE`' });
  return {
    200: { description: 'The whole content', headers: told, content: bytes },
    206: {
      description: 'The one range that Range asked for',
      headers: { ...told, ...part },
      content: bytes,
    },
    304: { description: 'If-None-Match names the content' },
    412: { description: 'If-Match names different content', content: failure },
    416: {
      description: 'The range begins after the end',
      headers: headerObjects({ 'Content-Range': '`bytes */SIZE`' }),
      content: failure,
    },
  };
}

const headerObjects = (described: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(
    Object.entries(described).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );

/** Body of an endpoint that takes a file: the file as it is, or the only part of a form. */
export const uploadBody = (): Json => ({
  description: 'A file of at most as many bytes as the setting `http.upload_limit` says',
  required: true,
  content: {
    'application/octet-stream': { schema: BINARY },
    'multipart/form-data': {
      schema: { type: 'object', required: ['file'], properties: { file: BINARY } },
    },
  },
});
