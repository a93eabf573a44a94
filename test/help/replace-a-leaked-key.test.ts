import { testPage } from './run-page.ts';

testPage('replace-a-leaked-key');
