import { RequestShape } from '../license/schemas-explain.ts';
import { pageShape } from '../shapes.ts';

/** `Page<Request>` of cli.md section 3.5. */
export const RequestPage = pageShape(RequestShape);
