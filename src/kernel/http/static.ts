import type { Application, Request, Response } from 'express';
import type { StaticFiles } from '../views/static-files.ts';
import { encodingsOf } from './compress.ts';
import { cacheText } from './reply.ts';
import { isKnown } from './reply-head.ts';
import { type HttpRuntime, openExchange } from './runtime.ts';

const YEAR_SECONDS = 31_536_000;
const ROUTE = '/assets/{name}';

/** Serves the files that pages load. What is not there is left to the page of a missing page. */
export function mountStatic(app: Application, files: StaticFiles, http: HttpRuntime): void {
  app.use('/assets', (req: Request, res: Response, next: () => void) => {
    const found = req.method === 'GET' || req.method === 'HEAD' ? files.find(req.path.slice(1)) : null;
    if (!found) return next();
    const { file, isCurrent } = found;
    const exchange = openExchange(req, res, http, ROUTE);
    const { bytes, encoding } = file.read(encodingsOf(req.headers['accept-encoding']));
    // Each encoding is another sequence of bytes, which a strong tag has to tell apart.
    const etag = encoding === 'identity' ? `"${file.hash}"` : `"${file.hash}-${encoding}"`;
    const isImmutable = isCurrent && { isImmutable: true as const };
    Object.assign(exchange.headers, {
      ETag: etag,
      Vary: 'Accept-Encoding',
      'Cache-Control': cacheText({
        by: 'public',
        maxAgeSeconds: isCurrent ? YEAR_SECONDS : 0,
        ...isImmutable,
      }),
    });
    const status = isKnown(req, etag) ? 304 : 200;
    if (status === 200) {
      exchange.headers['Content-Type'] = file.type;
      exchange.headers['Content-Length'] = String(bytes.length);
      if (encoding !== 'identity') exchange.headers['Content-Encoding'] = encoding;
    }
    res.writeHead(status, exchange.headers).end(status === 200 && req.method === 'GET' ? bytes : undefined);
    http.observe(exchange, status, null);
  });
}
