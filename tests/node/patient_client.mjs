// A client of the TypeScript SDK that lets `elicit_doctor` hold it: one call without progress and
// one with it, at each limit. Arguments: limits in milliseconds, with commas; then the gateway.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [limits, command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'crush', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: 'ignore' }));
// The front answers before there is anybody who could hold a call; the list comes from who can.
await client.listTools();
for (const timeout of limits.split(',').map(Number)) {
  for (const progress of [false, true]) {
    const options = { timeout, ...(progress && { resetTimeoutOnProgress: true, onprogress: () => {} }) };
    const how = await client
      .callTool({ name: 'elicit_doctor', arguments: { progress } }, undefined, options)
      .then(() => 'answered', (error) => error.code);
    console.log(how);
  }
}
await client.close();
