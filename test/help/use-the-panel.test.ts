import { testPage } from './run-page.ts';

testPage('use-the-panel');
