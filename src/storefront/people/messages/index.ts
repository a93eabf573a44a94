export { get, mark, receive, remove } from './messages.ts';
export { type Message, messageRecord } from './record.ts';
export { MessageInput } from './schemas.ts';
