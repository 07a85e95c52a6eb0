// A server on the TypeScript SDK that asks before it books, in both eras.
//
// node table_server.mjs          stdio
// node table_server.mjs PORT     streamable HTTP on 127.0.0.1, at /mcp
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  acceptedContent,
  createMcpHandler,
  inputRequired,
  inputResponse,
  isLegacyRequest,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const Guests = z.object({ guests: z.number().int().min(1).max(12) });

const reply = (text, booked) => ({
  content: [{ type: 'text', text }],
  structuredContent: { booked },
});

function tableServer() {
  const server = new McpServer({ name: 'table', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool(
    'book',
    { description: 'Book a table.', outputSchema: z.object({ booked: z.boolean() }) },
    async (ctx) => {
      const response = inputResponse(ctx.mcpReq.inputResponses, 'guests');
      if (response.kind === 'missing') {
        return inputRequired({
          inputRequests: {
            guests: inputRequired.elicit({
              message: 'For how many guests?',
              requestedSchema: Guests,
            }),
          },
        });
      }
      const answer = acceptedContent(ctx.mcpReq.inputResponses, 'guests', Guests);
      return answer === undefined
        ? reply('No table was booked.', false)
        : reply(`Booked for ${answer.guests}.`, true);
    },
  );
  return server;
}

// The handshake era needs a session: an answer comes with a request of its own.
const sessions = new Map();
const modern = createMcpHandler(tableServer, { legacy: 'reject' });

async function answered(request) {
  if (!(await isLegacyRequest(request))) return modern.fetch(request);
  const known = sessions.get(request.headers.get('mcp-session-id'));
  if (known !== undefined) return known.handleRequest(request);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await tableServer().connect(transport);
  return transport.handleRequest(request);
}

function serveHttp(port) {
  createServer(async (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const body = method === 'POST' ? Readable.toWeb(incoming) : undefined;
    const request = new Request(`http://127.0.0.1:${port}${url}`, { method, headers, body, duplex: 'half' });
    const response = await answered(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) outgoing.end();
    else Readable.fromWeb(response.body).on('error', () => outgoing.end()).pipe(outgoing);
  }).listen(port, '127.0.0.1');
}

const port = process.argv[2];
if (port === undefined) serveStdio(tableServer);
else serveHttp(Number(port));
