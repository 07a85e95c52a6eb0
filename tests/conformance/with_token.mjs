// Puts the gateway's token into each request of the suite, which knows of none.
import http from "node:http";
import { channel } from "node:diagnostics_channel";
import { syncBuiltinESMExports } from "node:module";

const token = `Bearer ${process.env.GATEWAY_TOKEN}`;
channel("undici:request:create").subscribe(({ request }) => {
  request.addHeader("authorization", token);
});

const bare = http.request;
http.request = (...asked) => {
  const request = bare(...asked);
  request.setHeader("authorization", token);
  return request;
};
syncBuiltinESMExports();
