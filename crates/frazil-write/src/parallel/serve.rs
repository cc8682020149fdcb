//! The side of an I/O rank: it takes in what others hand over, until they come to a call.

use super::super::cooperation::Call;
use super::super::errors::lost;
use super::super::writer::Writer;
use super::agree::{different_calls, digest, first_difference};
use super::io_ranks::{Coming, Reply, Request};
use super::link::{LONGEST_NAP, SHORTEST_NAP};
use super::ranks::Ranks;
use super::wire::{Item, broken, encode};
use frazil_container::schema::VariableId;
use frazil_file::error::{Error, Result};

/// A client that has come to a call.
struct Come {
    call: Call,
    digest: u64,
}

impl Ranks {
    /// Puts what others hand over, until all of them have come to a call; that call, and whether all
    /// went well. A rank that nobody hands anything has come to its own.
    ///
    /// Who closes goes along with whatever calls the others make before. Nobody is waited for too
    /// long here: those that have come watch over those that have not.
    pub(super) fn serve(&self, writer: &mut Writer, own: Call) -> (Call, Result<()>) {
        let served = self.take_in(writer, own);
        let call = served.as_ref().map_or(own, |&call| call);
        (call, served.map(drop))
    }

    fn take_in(&self, writer: &mut Writer, own: Call) -> Result<Call> {
        let clients = self.group.lock().link.clients();
        if clients.is_empty() {
            return Ok(own);
        }
        self.group.lock().link.begin(own)?;
        let mut come: Vec<Option<Come>> = clients.clone().map(|_| None).collect();
        let mut outcome = Ok(());
        let mut nap = SHORTEST_NAP;
        while come.iter().any(Option::is_none) {
            let has_sent = self
                .group
                .lock()
                .link
                .note_work("taking in what others put")?;
            if come.iter().all(Option::is_none) {
                // Later it is the last call of whoever is gone.
                self.group.lock().link.check_complete()?;
            }
            let mut is_idle = true;
            for (client, place) in clients.clone().zip(&mut come) {
                // What it hands over behind that belongs to its next call.
                while place.is_none() {
                    let Some(message) = self.group.lock().link.arrived(client)? else {
                        break;
                    };
                    is_idle = false;
                    *place = self.take_message(writer, (client, &message), &mut outcome)?;
                    let taken = encode(&Reply::Taken(message.len() as u64))?;
                    self.group.lock().link.hand_over(client, Ok(taken))?;
                }
            }
            if is_idle {
                std::thread::sleep(nap);
            }
            nap = match is_idle && has_sent {
                true => (nap * 2).min(LONGEST_NAP),
                false => SHORTEST_NAP,
            };
        }
        let come: Vec<_> = clients.zip(come.into_iter().flatten()).collect();
        self.compare(writer, own, &come, outcome)
    }

    /// Does what a message says. After an error nothing more is put, and what was defined otherwise
    /// may be its reason.
    fn take_message(
        &self,
        writer: &mut Writer,
        (client, message): (usize, &[u8]),
        outcome: &mut Result<()>,
    ) -> Result<Option<Come>> {
        let mut rest = message;
        while !rest.is_empty() {
            let (request, behind) = postcard::take_from_bytes::<Request>(rest)
                .map_err(|error| broken(&error.to_string()))?;
            rest = behind;
            let values = match &request {
                Request::Put { bytes, .. } => {
                    let count = usize::try_from(*bytes).map_err(|_| lost())?;
                    let (values, behind) =
                        (rest.split_at_checked(count)).ok_or_else(|| broken("it ends early"))?;
                    rest = behind;
                    values
                }
                _ => &[],
            };
            if let Request::Come(Coming {
                call,
                digest,
                items,
            }) = request
            {
                if let Some(items) = items {
                    self.group.lock().clients_items = Some((client, items));
                }
                return Ok(Some(Come { call, digest }));
            }
            if outcome.is_ok() {
                *outcome = carry_out(writer, request, values);
            }
        }
        Ok(None)
    }

    /// Whether those that have come make a call that goes with this rank's, with its definitions.
    fn compare(
        &self,
        writer: &mut Writer,
        own: Call,
        come: &[(usize, Come)],
        outcome: Result<()>,
    ) -> Result<Call> {
        let number = self.group.lock().link.own_number();
        let mut call = own;
        for (client, one) in come {
            call = one.call;
            if own != Call::Close && one.call != own {
                return Err(different_calls((number, own), (*client, one.call)));
            }
        }
        writer.settle_definitions()?;
        let items = writer.items(false);
        let digest = digest(&items);
        if come.iter().any(|(_, one)| one.digest != digest) {
            return Err(self.difference(number, items));
        }
        outcome.map(|()| call)
    }

    fn difference(&self, number: usize, items: Vec<Item>) -> Error {
        let theirs = self.group.lock().clients_items.clone();
        let all: Vec<_> = theirs.into_iter().chain([(number, items)]).collect();
        first_difference(&all).with_cure(
            "define the same on the ranks that write for others, before they close, in the same order",
        )
    }
}

/// Does what a client asks for.
fn carry_out(writer: &mut Writer, request: Request, values: &[u8]) -> Result<()> {
    match request {
        Request::Put {
            variable,
            start,
            count,
            stride,
            ..
        } => {
            let id = VariableId(variable);
            writer.put(id, &start, &count, stride.as_deref(), values)
        }
        Request::Texts(put) => {
            let id = VariableId(put.variable);
            let stride = put.stride.as_deref();
            writer.put_strings(id, &put.start, &put.count, stride, &put.values)
        }
        Request::Block {
            variable,
            start,
            count,
        } => writer.state_block(VariableId(variable), &start, &count),
        Request::Come(_) => Ok(()),
    }
}
